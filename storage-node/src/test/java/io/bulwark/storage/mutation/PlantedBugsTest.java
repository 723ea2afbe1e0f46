package io.bulwark.storage.mutation;

import io.bulwark.protocol.mutation.PlantedBugs;

class PlantedBugsTest extends PlantedBugs {}
