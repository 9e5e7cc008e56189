"""Graph networks for (made-up) molecules."""
from gnn.graphs import GraphSequence, make_graphs
from gnn.layers import GCN, GIN, Readout

LAYERS = {cls.__name__.lower(): cls for cls in (GCN, GIN)}
