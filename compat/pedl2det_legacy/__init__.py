"""The behavior of PEDL, early Determined and the Keras of their time.

The shim ``pedl`` imports these modules. ``pedl2det migrate`` reads them, and writes what a trial uses
into its ``legacy_keras.py``; so they are written for Python 3.8, as people would write them there:
without annotations, and with imports of whole modules and of this package alone.
"""
