"""Generates integration tests of JavaScript and TypeScript packages without a model.

What a module uses is read (`seams`): other modules of the package, files, a service, a program. Its functions are
called as for unit tests, with real instances of other modules' classes, a temporary folder and a server that stands in
for the service (`proposals`, `service_answers`), programs are started as their README shows (`programs`). What was seen
to cross from one part into another becomes a case (`explore`, `compose`) and a test file for Jest (`render`).
"""
