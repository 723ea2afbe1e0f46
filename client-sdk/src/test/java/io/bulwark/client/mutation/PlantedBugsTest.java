package io.bulwark.client.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;

class PlantedBugsTest extends PlantedBugs {}
