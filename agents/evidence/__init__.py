"""What the agents of the evidence loop share: pieces of evidence, the judge's assessment, a request's memory.

Plain data without a model, a tool or a graph: the loop's state holds it as JSON.
"""
