"""Write sections of the config in flow style: `data: {file: data.csv}`."""

from __future__ import annotations

import random

import yaml

from variants.project import Project, config_path, with_file


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change some mappings that hold scalars; comments of the config are lost."""
    path = config_path(project)
    root = yaml.compose(project[path])
    sections = [value for _, value in root.value if isinstance(value, yaml.MappingNode)]
    plain = [node for node in sections if not any(key.value == "<<" for key, _ in node.value)]
    if not plain or "&" in project[path]:
        return None
    for node in chance.sample(plain, chance.randint(1, len(plain))):
        node.flow_style = True
    if chance.random() < 0.1:
        root.flow_style = True
    return with_file(project, path, yaml.serialize(root, width=100))
