"""Limits for code that a model wrote: what generated tests may reach, and what a repair may not weaken.

`code_limits` checks Python tests, `engineer_limits` Playwright and Maestro files, `repair_guard` compares a refined
test with its predecessor, `replaced_subjects` finds tests that patch what they test. All of it reads syntax trees and
tables; nothing is executed, and whatever is ambiguous is refused. It imports the agents' contract and `utils`, no model
client and no agent.
"""
