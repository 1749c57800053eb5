"""Which distribution of PyPI an imported package comes from, where the names differ."""

from __future__ import annotations

import re

_DISTRIBUTIONS = """
attr attrs; bs4 beautifulsoup4; cv2 opencv-python opencv-python-headless opencv-contrib-python; Crypto pycryptodome;
Cryptodome pycryptodomex; dateutil python-dateutil; docx python-docx; dotenv python-dotenv; fitz PyMuPDF; git
GitPython; github PyGithub; gi PyGObject; jose python-jose; jwt PyJWT; magic python-magic; markdown Markdown;
MySQLdb mysqlclient; nacl PyNaCl; OpenSSL pyOpenSSL; OpenGL PyOpenGL; PIL Pillow; pkg_resources setuptools; psycopg2
psycopg2-binary; pptx python-pptx; pymysql PyMySQL; pythoncom pywin32; win32api pywin32; win32con pywin32; ruamel
ruamel.yaml; serial pyserial; skimage scikit-image; sklearn scikit-learn; slugify python-slugify; socks PySocks;
telegram python-telegram-bot; usb pyusb; wx wxPython; yaml PyYAML; zmq pyzmq; jinja2 Jinja2; faiss faiss-cpu
faiss-gpu; umap umap-learn; Levenshtein python-Levenshtein Levenshtein rapidfuzz; mpl_toolkits matplotlib; pylab
matplotlib; lxml_html_clean lxml-html-clean; rest_framework djangorestframework; corsheaders django-cors-headers;
environ django-environ; debug_toolbar django-debug-toolbar; storages django-storages; django_filters django-filter;
allauth django-allauth; crispy_forms django-crispy-forms; flask_sqlalchemy Flask-SQLAlchemy; multipart
python-multipart; ldap python-ldap; memcache python-memcached; Xlib python-xlib; xdg pyxdg; editor python-editor;
barcode python-barcode; decouple python-decouple; gnupg python-gnupg; pyximport Cython; past future; builtins
future; speech_recognition SpeechRecognition; sentry_sdk sentry-sdk; tlz toolz; flax flax; hydra hydra-core;
pl_bolts lightning-bolts; pytorch_lightning pytorch-lightning; tensorboard tensorboard; torch torch; transformers
transformers; sentence_transformers sentence-transformers; igraph igraph python-igraph; Bio biopython; rdkit rdkit
rdkit-pypi; osgeo GDAL; shapefile pyshp; stdnum python-stdnum; vlc python-vlc; wordcloud wordcloud; apt python-apt;
dbus dbus-python; snappy python-snappy; tests tests; consul python-consul py-consul; ibm_db ibm-db; kafka
kafka-python kafka-python-ng; websocket websocket-client; socketio python-socketio; engineio python-engineio; redis
redis; ujson ujson; pwn pwntools; pynput pynput; grpc grpcio; grpc_tools grpcio-tools; grpc_status grpcio-status;
opentelemetry opentelemetry-api opentelemetry-sdk; google google-api-python-client google-auth google-cloud protobuf
googleapis-common-protos; googleapiclient google-api-python-client; oauth2client oauth2client; azure azure-core
azure-identity azure-storage-blob; msal msal; pytest pytest; _pytest pytest; pluggy pluggy; py pytest py;
typing_extensions typing-extensions; zope zope.interface; ipykernel ipykernel; IPython ipython; notebook notebook;
nbformat nbformat; mypy_boto3_s3 boto3-stubs; botocore botocore boto3; s3transfer boto3 s3transfer; sqlalchemy
SQLAlchemy; werkzeug Werkzeug Flask; markupsafe MarkupSafe Jinja2; itsdangerous itsdangerous Flask; starlette
starlette fastapi; pydantic_core pydantic pydantic-core; anyio anyio starlette; setuptools setuptools; wheel wheel;
pip pip
"""
_BY_IMPORT = {
    names[0]: tuple(names[1:])
    for names in (entry.split() for entry in _DISTRIBUTIONS.split(";"))
    if names
}


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def distributions_of(module: str) -> frozenset[str]:
    """The normalised names of distributions that may hold an imported package."""
    top = module.partition(".")[0]
    plain = normalised(top)
    likely = {
        plain,
        f"python-{plain}",
        f"py{plain}",
        f"py-{plain}",
        f"{plain}-python",
        f"{plain}-py",
    }
    likely |= {f"{plain}-binary", f"{plain}2", f"django-{plain}", plain.removeprefix("py")}
    return frozenset(likely | {normalised(name) for name in _BY_IMPORT.get(top, ())})


def is_namespace_of(module: str, distribution: str) -> bool:
    """`google.cloud.storage` of `google-cloud-storage`, `ruamel.yaml` of `ruamel-yaml`: the name begins alike."""
    top = normalised(module.partition(".")[0])
    return normalised(distribution).startswith(f"{top}-")


def imports_of(distribution: str) -> frozenset[str]:
    """The packages that a distribution is likely imported by."""
    name = normalised(distribution)
    known = {top for top, names in _BY_IMPORT.items() if name in map(normalised, names)}
    stripped = re.sub(r"^(?:python|py)-|-(?:python|py|binary)$", "", name)
    plain = {name.replace("-", "_"), stripped.replace("-", "_"), name.split("-")[0]}
    return frozenset(known | plain)
