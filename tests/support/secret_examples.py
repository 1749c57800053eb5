"""Examples of secrets, and of what only looks like them; put together here, so that scanners pass."""

from __future__ import annotations

import base64

HEX = "0123456789abcdef"
B62 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1cB2dC3eD4fE5gF6hG7iH8jI9kJ0lK1mL2nM3oN4"


def hexes(count: int) -> str:
    return (HEX[3:] + HEX * 12)[:count]


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


EXAMPLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "aws-key": (("AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "Q3EGRIVN2OPJ4KLM"), ("AKIA" + "short", "xAKIA" + "A" * 20)),
    "aws-secret": (
        ("aws_secret_access_key = " + B62[:40], '"SecretAccessKey": "' + B62[:40] + '"'),
        ("aws_secret_access_key = ${AWS}", "secret_access_key = " + "a" * 64),
    ),
    "google-api-key": (("AIza" + B62[:35],), ("AIza" + B62[:20], "AIzaName")),
    "google-oauth-token": (("ya29." + B62[:40],), ("ya29.short",)),
    "google-oauth-secret": (("GOCSPX-" + B62[:28],), ("GOCSPX-short",)),
    "azure-storage-key": (("AccountKey=" + (B62 * 2)[:86] + "==;",), ("AccountKey=abc==",)),
    "azure-sas": (("https://a.example/c?sv=2022&sig=" + B62[:44] + "%3D",), ("config=1&sig=short", "design=" + B62)),
    "azure-client-secret": (("abc8Q~" + B62[:34],), ("FAQ~ and more", "8Q~short")),
    "digitalocean-token": (("dop_v1_" + hexes(64),), ("dop_v1_" + hexes(20),)),
    "cloudflare-ca-key": (("v1.0-" + hexes(24) + "-" + hexes(146),), ("v1.0-beta", "v1.0-" + hexes(24))),
    "databricks-token": (("dapi" + hexes(32),), ("dapi" + hexes(31), "dapier")),
    "vault-token": (("hvs." + B62[:30],), ("hvs.short", "hvs.py")),
    "terraform-token": ((B62[:14] + ".atlasv1." + B62[:64],), ("x.atlasv1." + B62[:64],)),
    "github-token": (("ghp_" + B62[:36], "ghs_" + B62[:36]), ("ghp_" + B62[:20], "ghp_notes")),
    "github-pat": (("github_pat_" + B62[:60],), ("github_pat_short",)),
    "gitlab-token": (("glpat-" + B62[:20], "glrt-" + B62[:20]), ("glpat-short", "xglpat-" + B62[:20])),
    "npm-token": (("npm_" + B62[:36],), ("npm_config_registry", "npm_" + B62[:10])),
    "pypi-token": (("pypi-" + "AgEIcHlwaS5vcmc" + B62[:60],), ("pypi-publish", "pypi-" + B62[:60])),
    "rubygems-key": (("rubygems_" + hexes(48),), ("rubygems_version",)),
    "docker-token": (("dckr_pat_" + B62[:27],), ("dckr_pat_x",)),
    "anthropic-key": (("sk-ant-" + "api03-" + B62[:60],), ("sk-ant-x",)),
    "openrouter-key": (("sk-or-v1-" + hexes(64),), ("sk-or-v1-" + hexes(8),)),
    "openai-key": (
        ("sk-" + B62[:48], "sk-proj-" + B62[:60]),
        ("sk-loading-spinner-animation", "task-" + B62[:30], "sk-short"),
    ),
    "huggingface-token": (("hf_" + "abcdefghijKLMNOPQRSTuvwxyzABCDEFGH",), ("hf_transfer", "hf_hub_download")),
    "groq-key": (("gsk_" + B62[:52],), ("gsk_x",)),
    "xai-key": (("xai-" + B62[:70],), ("xai-sdk",)),
    "perplexity-key": (("pplx-" + B62[:48],), ("pplx-7b-online",)),
    "replicate-token": (("r8_" + B62[:37],), ("r8_model",)),
    "slack-token": (("xoxb-" + "123456789012-" + B62[:24],), ("xoxb-", "xoxb-short")),
    "slack-webhook": (
        ("https://hooks.slack.com/services/" + "T0000/B0000/" + B62[:24],),
        ("https://hooks.slack.com/services/",),
    ),
    "discord-webhook": (
        ("https://discord.com/api/webhooks/" + "123456789012345678/" + B62[:68],),
        ("/api/webhooks/12/x",),
    ),
    "telegram-token": (("123456789:AA" + B62[:33],), ("12:AA" + B62[:33], "123456789:AAshort")),
    "sendgrid-key": (("SG." + B62[:22] + "." + B62[:43],), ("SG.short.x",)),
    "mailgun-key": (("key-" + hexes(32),), ("key-" + hexes(12), "monkey-" + hexes(32))),
    "twilio-key": (("SK" + hexes(32),), ("SK" + hexes(30), "TASK" + hexes(32))),
    "stripe-key": (("sk_live_" + B62[:24], "rk_test_" + B62[:24]), ("sk_live_x", "risk_live_" + B62[:24])),
    "webhook-secret": (("whsec_" + B62[:32],), ("whsec_x",)),
    "shopify-token": (("shpat_" + hexes(32),), ("shpat_" + hexes(8),)),
    "newrelic-key": (("NRAK-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ1",), ("NRAK-ABC",)),
    "grafana-token": (("glsa_" + B62[:32] + "_" + hexes(8),), ("glsa_" + B62[:32],)),
    "linear-key": (("lin_api_" + B62[:40],), ("lin_api_v2",)),
    "age-key": (
        ("AGE-SECRET-KEY-1" + ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2)[:58],),
        ("AGE-SECRET-KEY-1ABC",),
    ),
    "jwt": (
        ("eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",),
        ("eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOi.notajwt.atall"),
    ),
    "authorization": (
        ("Authorization: Bearer " + B62[:30], '"Authorization": "Basic ' + B62[:20] + '=="'),
        ("Authorization: Bearer $TOKEN", "authorization: required for everybody"),
    ),
    "connection-password": (
        (
            "postgres://app:hunter2@db.example/x",
            "redis://:s3cr3t@cache:6379/0",
            "Server=db;User=sa;Password=Pa55w0rd;",
            "jdbc:mysql://h/db?user=fred&password=secret12",
            "mongodb+srv://u:p%40ss@c.example/x",
        ),
        ("postgres://app:${DB_PASSWORD}@db/x", "pwd=system(argv[1]);",
            "if (password=ask()) {", "http://example.org:8080/a@b", "https://a.example/x:y",
            "https://user:pass@host/x", "unix:///s.sock?db=0[&password=password]"),
    ),
    "resident-number": (
        ("900101-1234568", "9001011234568", "850505-5123456"),
        ("900101-1234567", "901301-1234568", "1900101-1234568", "900101-1234568-1"),
    ),
    "card-number": (
        ("4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"),
        ("4111 1111 1111 1112", "0000000000000000", "v4111111111111111", "4111111111111111.5"),
    ),
    "assigned-secret": (
        (
            'password = "hunter2"',
            "DB_PASSWORD: str = 'correct-horse'",
            '"passwd": "p4ss"',
            f'api_key="{B62[:24]}"',
            f"client_secret: '{B62[:20]}'",
            f"export API_TOKEN={B62[:24]}",
            'db["password"] = "hunter2"',
            '비밀번호 = "한글도가린다"',
            '비밀번호는 "hunter2!"입니다',
            "비밀번호: hunter2!",
            "DB_PASSWORD=Sup3rS3cret!",
            "DB_PASSWORD=plainword",
            "+  password: tiger99",
            "spring.datasource.password=tiger99",
            "<password>hunter2</password>",
            "ds.setPassword('hunter2')",
            'let password: &str = "hunter2";',
            '{\\"password\\": \\"hunter2\\"}',
            'password = """hunter2"""',
            "ansible_become_pass=hunter22",
            'const privateKey = "0x' + hexes(64) + '"',
            f"-H 'X-Api-Key: {B62[:24]}'",
            'password = "P@$$w0rd"',
            'wifiPsk = "hunter22"',
            "WPA_PSK=hunter22",
        ),
        (
            'password = "changeme"',
            'password = "${DB_PASSWORD}"',
            'password = "<password>"',
            'password = "Enter your password"',
            "password = os.environ['DB']",
            "password = getpass.getpass()",
            'api_key_env = "OPENAI_API_KEY"',
            'token_url = "https://login.example.org/oauth2/v2/token"',
            'secret_name = "projects/12345/secrets/db7"',
            'token = "csrf"',
            "max_tokens = 8192",
            "TOKEN=get_token_from_the_vault()",
            "self.password = password",
            "password: str",
            "password=settings.database",
            "password: ${DB_PASSWORD}",
            "all_passed = 'everything is well'",
            '("db", "password", "username")',
            "self.password.encode('utf-8')",
            "<password>changeme</password>",
            "token == other.token0.of_the_parameters",
            '"DeepSkyBlue": "#00bfff"',
            'password.encode("latin1")',
            'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request")',
            '["X25519PrivateKey", "MLKEM768X25519PublicKey"]',
            'password = "\\u00abmasked:assigned-secret:1\\u00bb"',
        ),
    ),
    "sentry-token": (("sntrys_" + B62[:60],), ("sntrys_x",)),
    "atlassian-token": (("ATATT3xFfGF0" + B62[:60], "ATBB" + B62[:32]), ("ATATT3xFfGF0", "ATBBx")),
    "figma-token": (("figd_" + B62[:40],), ("figd_x",)),
    "notion-token": (("ntn_" + "12345678901" + B62[:35], "secret_" + B62[:43]), ("secret_name", "ntn_1")),
    "postman-key": (("PMAK-" + hexes(24) + "-" + hexes(34),), ("PMAK-" + hexes(24),)),
    "planetscale-token": (("pscale_tkn_" + B62[:43],), ("pscale_tkn_x",)),
    "doppler-token": (("dp.pt." + B62[:43],), ("dp.pt.x",)),
    "pulumi-token": (("pul-" + hexes(40),), ("pul-" + hexes(8),)),
    "airtable-token": (("pat" + B62[:14] + "." + hexes(64),), ("path.to", "pattern.match")),
    "square-token": (("sq0csp-" + B62[:43], "EAAA" + B62[:60]), ("sq0csp-x", "EAAA")),
    "mapbox-token": (("sk." + "eyJ1IjoidGVzdCIsImEiOiJja" + B62[:10] + "." + B62[:22],), ("sk.eyJ",)),
    "flutterwave-key": (("FLWSECK_TEST-" + hexes(32) + "-X",), ("FLWSECK-x",)),
    "easypost-key": (("EZAK" + B62[:54],), ("EZAKx",)),
    "duffel-token": (("duffel_live_" + B62[:43],), ("duffel_live_x",)),
    "dynatrace-token": (("dt0c01." + "ABCDEF" * 4 + "." + ("GHIJK234" * 8),), ("dt0c01.x",)),
    "gemini-key": (("AQ." + "Ab8RN6" + B62[:45],), ("AQ.short", "FAQ." + B62[:50])),
    "supabase-token": (("sbp_" + hexes(40),), ("sbp_x",)),
    "facebook-token": (("EAACEdEose0cBA" + B62[:60],), ("EAACEdEose0cBA",)),
    "nuget-key": (("oy2" + "abcdefghij1234567890" * 2 + "abc",), ("oy2abc",)),
    "langsmith-key": (("lsv2_pt_" + hexes(32) + "_" + hexes(10),), ("lsv2_pt_x",)),
    "command-password": (
        ("tool --password hunter2!", "tool --token=" + B62[:24], "curl -u admin:hunter22 https://x",
         "machine h login u password hunter22"),
        ("tool --password PASSWORD", "tool --password $PW", "docker run -u 1000:1000 x", "--token-file x1y2z3"),
    ),
    "password-hash": (
        ("$2b$12$" + B62[:53], "admin:$apr1$abcdefgh$" + B62[:22], "$6$saltsalt$" + B62),
        ("$1 and $6", "$2b$12$short"),
    ),
    "private-key-body": (
        ("MII" + "EvQIBADANBgkqhkiG9w0BAQEFAASC" + B62,),
        ("MII" + "DdzCCAl+gAwIBAgIEAgAAuTANBgkq" + B62,),
    ),
    "encoded-secret": (
        (b64("ghp_" + B62[:36]), b64("aws_access_key_id=AKIA" + "IOSFODNN7EXAMPLE"),
         b64("-----BEGIN RSA PRIVATE KEY-----\nabc")),
        (b64("nothing of interest stands in here"), "test_that_a_long_name_of_a_function_is_no_secret"),
    ),
    "email": (("kim.minji@example.co.kr",), ("@decorator", "a@b", "user@localhost")),
}  # fmt: skip

KEY_BODY = "MIIEowIBAAKCAQEA" + B62[:48] + "\n" + B62[:64] + "\n" + B62[:20] + "=="
