"""A project of realistic size for requests: a package with an API, a console program, a subpackage and a few tests."""

from __future__ import annotations

INVOICER = {
    "pyproject.toml": (
        '[project]\nname = "invoicer"\nversion = "1.0"\n\n[project.scripts]\ninvoicer = "invoicer.cli:main"\n'
    ),
    "src/invoicer/__init__.py": "",
    "src/invoicer/models.py": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass LineItem:\n    name: str\n    cents: int\n"
        "    count: int = 1\n\n"
        "    def total(self):\n        return self.cents * self.count\n\n\n"
        "@dataclass\nclass Invoice:\n    items: list\n\n"
        "    def net(self):\n        return sum(item.total() for item in self.items)\n"
    ),
    "src/invoicer/tax.py": (
        "def vat_rate(country):\n    if country == 'DE':\n        return 19\n"
        "    if country == 'FR':\n        return 20\n"
        "    return 0\n\n\ndef add_vat(cents, country):\n    return cents + cents * vat_rate(country) // 100\n"
    ),
    "src/invoicer/totals.py": (
        "from .tax import add_vat\n\n\ndef net_total(invoice):\n    return invoice.net()\n\n\n"
        "def gross_total(invoice, country):\n    return add_vat(net_total(invoice), country)\n"
    ),
    "src/invoicer/storage.py": (
        "class Store:\n    def __init__(self):\n        self.rows = {}\n\n    def save(self, number, invoice):\n"
        "        if number in self.rows:\n            raise KeyError(number)\n        self.rows[number] = invoice\n\n"
        "    def load(self, number):\n        return self.rows[number]\n"
    ),
    "src/invoicer/customers.py": "def initials(name):\n    return ''.join(word[:1] for word in name.split())\n",
    "src/invoicer/config.py": (
        "def read_config(text):\n    values = {}\n    for line in text.splitlines():\n        if '=' in line:\n"
        "            key, _, value = line.partition('=')\n            if key and value and not key.startswith('#'):\n"
        "                values[key.strip()] = value.strip()\n    return values\n"
    ),
    "src/invoicer/export_csv.py": "def to_csv(rows):\n    return '\\n'.join(','.join(row) for row in rows)\n",
    "src/invoicer/api.py": (
        "from fastapi import FastAPI\n\nfrom .tax import add_vat\n\napp = FastAPI()\n\n\n"
        '@app.get("/gross")\ndef gross(cents: int, country: str):\n    return add_vat(cents, country)\n'
    ),
    "src/invoicer/cli.py": (
        "import argparse\n\nfrom .tax import add_vat\n\n\n"
        "def main(argv=None):\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('cents', type=int)\n    parser.add_argument('--country', default='DE')\n"
        "    options = parser.parse_args(argv)\n    print(add_vat(options.cents, options.country))\n    return 0\n"
    ),
    "src/invoicer/reports/__init__.py": "",
    "src/invoicer/reports/monthly.py": "def month_name(number):\n    return 'Jan Feb Mar'.split()[number - 1]\n",
    "src/invoicer/reports/yearly.py": "def years(first, last):\n    return list(range(first, last + 1))\n",
    "tests/test_tax.py": (
        "from invoicer.tax import add_vat, vat_rate\n\n\ndef test_vat():\n"
        "    assert add_vat(100, 'DE') == 100 + vat_rate('DE')\n"
    ),
}
"""Path → text."""
