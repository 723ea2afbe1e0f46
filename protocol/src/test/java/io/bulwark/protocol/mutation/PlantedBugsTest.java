package io.bulwark.protocol.mutation;

class PlantedBugsTest extends PlantedBugs {}
