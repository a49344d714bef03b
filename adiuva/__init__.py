import os

# Read when numpy is first imported. The matrices of a search are small: the threads of a BLAS would wait for each other
# longer than they compute, on a busy machine for milliseconds.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
