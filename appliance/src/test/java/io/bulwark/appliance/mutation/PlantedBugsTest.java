package io.bulwark.appliance.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;

class PlantedBugsTest extends PlantedBugs {}
