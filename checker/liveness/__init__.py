"""Liveness properties: what must happen does happen, as long as no fairness obligation is put off for ever.

`decide` is the way in. `stored` answers on the states of the compiled engine, `sets` on sets of states, `reference` by
running the model; `lasso` takes every lasso once more and shares nothing with them but how a claim is asked of a state.
"""
