package io.bulwark.simulation.campaign;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.engine.Clock;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Faults of the nodes, correct ones too: crashes, pauses, partitions, clock skew, and a network that gets worse and
 * better. Asynchrony allows all of it for any number of nodes, as long as it ends. Only the faulty lose synced data.
 */
final class Nemesis {
    private final SimulatedWorld world;
    private final Simulation simulation;
    private final Setting setting;
    private final Random random;
    private final int everySteps;
    private final List<PrincipalId> faulty;
    private final Map<PrincipalId, SimulatedRecords> backups = new HashMap<>();

    Nemesis(SimulatedWorld world, Setting setting) {
        this.world = world;
        this.simulation = world.simulation();
        this.setting = setting;
        this.faulty = world.faulty().stream().sorted().toList();
        this.random = new Random(setting.random("nemesis").nextLong());
        this.everySteps = 2 + random.nextInt(20);
        if (random.nextBoolean()) {
            world.nodes().forEach(node -> simulation.setClock(node, clock()));
        }
    }

    private Clock clock() {
        int drift = random.nextInt(3) == 0 ? random.nextInt(400_000) - 200_000 : random.nextInt(400) - 200;
        return new Clock(random.nextInt(3) == 0 ? random.nextInt(100_000_000) : random.nextInt(1_000), drift);
    }

    void step() {
        if (random.nextInt(everySteps) != 0) {
            return;
        }
        PrincipalId node = any(world.nodes());
        switch (random.nextInt(9)) {
            case 0, 1 -> crash(node);
            case 2 -> simulation.pause(node);
            case 3 -> simulation.resume(node);
            case 4 -> partition();
            case 5, 6 -> simulation.healNetwork();
            case 7 -> simulation.setNetwork(random.nextBoolean() ? setting.network() : NetworkFaults.calm());
            default -> {
                if (!faulty.isEmpty()) {
                    failDisk();
                }
            }
        }
    }

    private void crash(PrincipalId node) {
        if (!simulation.isUp(node)) {
            simulation.restart(node);
            return;
        }
        simulation.crash(node);
        if (random.nextBoolean()) {
            simulation.restart(node);
        }
    }

    /** Cuts a random group of nodes off from the others, in one direction or both; clients keep their connections. */
    private void partition() {
        List<PrincipalId> shuffled = new ArrayList<>(world.nodes());
        Collections.shuffle(shuffled, random);
        int side = 1 + random.nextInt(shuffled.size());
        boolean both = random.nextInt(3) != 0;
        for (PrincipalId here : shuffled.subList(0, side)) {
            for (PrincipalId there : shuffled.subList(side, shuffled.size())) {
                simulation.cut(here, there);
                if (both) {
                    simulation.cut(there, here);
                }
            }
        }
    }

    /** A faulty node's disk fails in one of the ways that disks have. */
    private void failDisk() {
        PrincipalId node = any(faulty);
        SimulatedRecords records = simulation.records(node);
        switch (random.nextInt(6)) {
            case 0 -> records.rot(random);
            case 1 -> records.damage(random);
            case 2 -> records.setFull(random.nextBoolean());
            case 3 -> backups.put(node, records.copy());
            case 4 -> {
                simulation.crashTearing(node);
                simulation.restart(node);
            }
            default -> {
                SimulatedRecords backup = backups.get(node);
                if (backup != null) {
                    simulation.crash(node);
                    records.rollBackTo(backup);
                    simulation.restart(node);
                }
            }
        }
    }

    /** All is well again: every node up, awake and connected. */
    void heal() {
        simulation.healNetwork();
        simulation.setNetwork(NetworkFaults.calm());
        for (PrincipalId node : world.nodes()) {
            simulation.resume(node);
            if (!simulation.isUp(node)) {
                simulation.restart(node);
            }
        }
    }

    /** The faulty nodes are gone for good. */
    void removeFaulty() {
        faulty.forEach(simulation::crash);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
