"""Statistics of a study, a module for each topic; every result carries its inputs."""
