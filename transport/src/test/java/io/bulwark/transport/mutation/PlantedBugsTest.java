package io.bulwark.transport.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;

class PlantedBugsTest extends PlantedBugs {}
