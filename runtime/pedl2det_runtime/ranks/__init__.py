"""Several processes that train one trial, each with its share of the data: the ranks.

``horovodrun`` starts them (:mod:`~pedl2det_runtime.ranks.launch`), each joins the others
(:mod:`~pedl2det_runtime.ranks.joining`), and from then on every one of them trains the same model:
gradients are averaged (:mod:`~pedl2det_runtime.ranks.gradients`), and what the controller must
decide it decides for all (:mod:`~pedl2det_runtime.ranks.team`).
"""
