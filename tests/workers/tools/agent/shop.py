"""A small shop in several languages, in which the tests of navigation look for things."""

from __future__ import annotations

from pathlib import Path

from tests.workers.tools.agent.workspaces import Project, new_project

FILES = {
    "README.md": "# Shop\n\nCustomers log in, fill a cart and pay. 결제는 카드로 한다.\n",
    "app/__init__.py": "",
    "app/main.py": (
        "from app.auth import login\nfrom app.billing import checkout\n\n\n"
        "def main(request):\n    user = login.authenticate(request)\n    return checkout.pay(user)\n"
    ),
    "app/auth/__init__.py": "",
    "app/auth/login.py": (
        '"""Who somebody is."""\n\nfrom app.auth.tokens import make_token\nfrom app.models import User\n\n\n'
        "def authenticate(request):\n    user = User(request.name)\n    make_token(user)\n    return user\n"
    ),
    "app/auth/tokens.py": (
        "import json\n\n\ndef make_token(user):\n    return sign(json.dumps(user.name))\n\n\n"
        "def sign(text):\n    return text\n"
    ),
    "app/billing/__init__.py": "",
    "app/billing/checkout.py": (
        "from app.billing.gateway import Gateway\n\n\n"
        "def pay(user):\n    return Gateway().charge(user, 10)\n"
    ),
    "app/billing/gateway.py": (
        "class Gateway:\n    def charge(self, user, amount):\n        return self.send(amount)\n\n"
        "    def send(self, amount):\n        return amount\n"
    ),
    "app/models.py": (
        "class User:\n    def __init__(self, name):\n        self.name = name\n\n\n"
        "class UserGroup:\n    users = []\n\n\nclass Superuser(User):\n    pass\n"
    ),
    "app/reports.py": "# The login of the user is counted here: user, user, user.\n\n\ndef count():\n    return 1\n",
    "tests/test_login.py": (
        "from app.auth.login import authenticate\n\n\nclass Request:\n    name = 'a'\n\n\n"
        "def test_login():\n    assert authenticate(Request()).name == 'a'\n"
    ),
    "tests/test_gateway.py": (
        "from app.billing.gateway import Gateway\n\n\n"
        "def test_charge():\n    assert Gateway().charge(None, 1) == 1\n"
    ),
    "web/cart.ts": (
        'import { post } from "./http";\n\nexport class Cart {\n  add(item: string): void {\n'
        '    post("/cart", item);\n  }\n}\n'
    ),
    "web/http.ts": "export function post(path: string, body: string): void {\n  fetch(path, { body });\n}\n",
    "server/main.go": "package main\n\nfunc main() {\n\tserve(8080)\n}\n\nfunc serve(port int) {\n}\n",
}


def new_shop(root: Path) -> Project:
    """The shop as a repository of one commit."""
    return new_project(root / "shop", FILES)
