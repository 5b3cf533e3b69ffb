"""The hunt for wrong verdicts: programs made at random, and whether CPython and every engine say the same of them.

    pytest tests/hunt                         some programs, seconds
    pytest tests/hunt -m hunt --hunt 3000     as many programs as one likes, for hours; --hunt-from N begins at seed N
    python -m tests.hunt.show SEED [outside]  one program, and what each engine says of it

`programs` writes a model as a file: `declarations` its records, `expressions` and `statements` its methods. In the mode
"outside" one construct of `intruders`, which is no part of the model language, stands somewhere in it. `plain_search`
decides the claims over the plain Python objects, and shares nothing with the checker; `engines` asks everybody else.
`method_mutation` changes one place in a method of the pod workers instead. Programs that were found to be answered
wrongly are kept in `found.txt`, each with what it was about.

`pairs` writes two versions of a small model, and `test_pairs` compares with CPython what `review` says of both, and
what is said to be inherited where the one is a change of the other.

`crowds` writes systems of two to four pods that look at each other, and `test_crowds` compares what their members say
with a search of the whole.

`stores` changes one thing that an answer depends on and asks again, with the store of answers and without; `traces`
changes one thing in a recorded trace, which then must not conform unless it says the same.
"""
