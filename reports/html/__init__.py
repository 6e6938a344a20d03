"""report.html: one page that needs no network, made of the report, the sources and the test files.

`page.py` renders it from the template in `assets/`; `overview.py` and `comparison.py` compute what it shows at once,
`page_data.py` what its script shows on request.
"""
