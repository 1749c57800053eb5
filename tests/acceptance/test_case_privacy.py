"""What a participant elsewhere is really sent of a case: read on the wire by a stand-in for its provider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

CHART = """Patient Name: Zofia Lindqvist   MRN: 48291133   DOB: 03/14/1951
Phone: (217) 555-0142. Lives at 12 Oak Street, Springfield, IL 62704.
Admitted on 2024-03-07. Mrs. Lindqvist, born March 14, 1951, has had a fever since 2024-03-04.
She is allergic to penicillin. Her daughter Ngozi Lindqvist was told on 2024-03-07.
BP 80/40, HR 128, potassium 6.4 mmol/L.
Assessment and plan: Sepsis. Lindqvist gets amoxicillin 500 mg three times a day.
"""
SIMILAR = "Name: Tariq Haddad\nA man with fever and sepsis. Amoxicillin 500 mg. Haddad went home."
LETTER = "Letter about sepsis and amoxicillin for Zofia Lindqvist by Dr. Wexler, 217-555-0199: penicillin allergy."
IDENTIFIERS = (
    *("Zofia", "Lindqvist", "48291133", "03/14/1951", "1951-03-14", "March 14, 1951", "555-0142"),
    *("Oak Street", "Ngozi", "Tariq", "Haddad", "Wexler", "555-0199", "lindqvist"),
)
REPLY = json.dumps({"analysis": "[NAME-1] has sepsis"})


@contextmanager
def provider() -> Iterator[tuple[str, list[str]]]:
    """The address of a model that says the same to everybody, and what it was sent."""
    received: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(json.dumps(json.loads(sent), ensure_ascii=False))
            message = {"role": "assistant", "content": REPLY}
            answer = json.dumps(
                {
                    "id": "x",
                    "model": "m",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_words: object) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", received
    finally:
        server.shutdown()
        server.server_close()


def sent_of_case(live: CommandLine, folder: Path, *switches: str) -> str:
    (folder / "Zofia_Lindqvist.txt").write_text(CHART)
    (folder / "cohort.json").write_text(json.dumps([{"text": SIMILAR}]))
    (folder / "Lindqvist letter.md").write_text(LETTER)
    config = folder / "quorate.yaml"
    with provider() as (address, received):
        # A gateway: it answers here and passes everything on, so it counts as elsewhere.
        gateway = {"type": "openai", "model": "m", "base_url": address, "external": True}
        config.write_text(yaml.safe_dump({"providers": {"ada": gateway}}))
        done = live(
            *("case", "Zofia_Lindqvist.txt", "-p", "ada", "--decide", "accept", "--config", str(config)),
            *("--similar", "cohort.json", "--documents", "Lindqvist letter.md", "--json", *switches),
            cwd=folder, environ={"OPENAI_API_KEY": "sk-x"}, timeout_s=180,
        )  # fmt: skip
    assert received, done.stderr
    return "\n".join(received)


def test_nothing_that_identifies_somebody_is_sent_where_masking_is_on(
    live: CommandLine, tmp_path: Path
) -> None:
    sent = sent_of_case(live, tmp_path, "--allow-external", "--mask-identifiers")
    assert [each for each in IDENTIFIERS if each in sent] == []
    assert "potassium 6.4" in sent
    assert "documents/1" in sent  # a passage of the letter was among it


def test_without_masking_the_case_is_sent_as_it_is(live: CommandLine, tmp_path: Path) -> None:
    assert "Zofia Lindqvist" in sent_of_case(live, tmp_path, "--allow-external")
