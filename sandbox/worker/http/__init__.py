"""Starts applications, sends them requests, extracts their OpenAPI document and measures their coverage.

Programs: `send_requests`, `write_document`, `launch_shifted` and `launch_measured`; `orders.py` is shared by those that
carry out orders, also in a browser. `api_process.py`, `api_serving.py` and `api_schema.py` are also copied beside
generated API tests: they import the standard library only, and their names and text are visible to users. Beside load
tests lie `load_profiles.py` and `load_traffic.py` as well, which run in Locust. Beside tests in JavaScript and
TypeScript lie `application_process.cjs`, which starts the application as `api_process.py` does, and `application.ts`,
`api_client.cjs` and `api_schema.cjs`.
"""
