package io.bulwark.simulation.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;

class PlantedBugsTest extends PlantedBugs {}
