package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.engine.Simulation;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** The attackers are revoked in the middle of their writes, and go on as before with all that they have kept. */
final class FpRevocations {
    /** Two writes put an end to what lies at one timestamp, and nodes try again every few seconds. */
    private static final int ROUNDS_TO_THE_END = 4;

    private static final long STEP_MILLIS = 5_000;
    private static final long PATIENCE_MILLIS = 20_000;

    private final FpWorld world;
    private final FpVolume volume;
    private final List<PrincipalId> nodes;
    private final List<FpAttacker> attackers;
    private final FpInvariants invariants;
    private final Random random;
    private boolean returned;
    private boolean reformed;

    FpRevocations(
            FpWorld world,
            FpVolume volume,
            List<PrincipalId> nodes,
            List<FpAttacker> attackers,
            FpInvariants invariants,
            Random random) {
        this.world = world;
        this.volume = volume;
        this.nodes = nodes;
        this.attackers = attackers;
        this.invariants = invariants;
        this.random = random;
    }

    private Simulation simulation() {
        return world.simulation();
    }

    /** @param comeAndGo whether nodes do so meanwhile */
    void putOut(boolean comeAndGo) {
        for (FpAttacker attacker : attackers) {
            for (long block = 0; block < volume.blocks(); block++) {
                attacker.hold(volume.group(block));
            }
        }
        move();
        simulation().runFor(random.nextInt(60));
        attackers.forEach(attacker -> volume.revoke(attacker.self()));
        List<PrincipalId> away = nodes.stream()
                .filter(node -> comeAndGo && simulation().isUp(node) && random.nextInt(3) == 0)
                .toList();
        away.forEach(simulation()::crash);
        tell();
        simulation().runFor(random.nextInt(2_000));
        if (comeAndGo) {
            attackers.forEach(attacker -> attacker.commitHeld(random));
        }
        away.forEach(this::rejoin);
        returned = isCommandDone();
        if (returned) {
            invariants.endAttacks();
        }
        world.readBlocks();
        attackers.forEach(attacker -> attacker.commitHeld(random));
        move();
        simulation().runFor(2_000);
        attackers.forEach(attacker -> attacker.commitHeld(random));
        world.readBlocks();
        simulation().runUntil(world::isIdle, PATIENCE_MILLIS);
    }

    private void move() {
        for (FpAttacker attacker : attackers) {
            for (long block = 0; block < volume.blocks(); block++) {
                attacker.move(volume.group(block));
            }
        }
    }

    private void tell() {
        nodes.stream().filter(simulation()::isUp).forEach(this::tell);
    }

    private void tell(PrincipalId node) {
        attackers.forEach(attacker -> simulation().tell(node, new Fact.Revoked(attacker.self())));
    }

    /** It asks who is revoked when it starts. */
    private void rejoin(PrincipalId node) {
        simulation().restart(node);
        tell(node);
    }

    /**
     * Returns whether the command has returned, provided that faulty nodes answer it. Leftovers of repairs that began
     * earlier are settled within two more steps.
     */
    private boolean isCommandDone() {
        simulation().runFor(STEP_MILLIS);
        boolean done = attackers.stream().allMatch(attacker -> invariants.putOut(attacker.self()));
        for (int step = 0; step < 2; step++) {
            tell();
            simulation().runFor(STEP_MILLIS);
            done &= attackers.stream().allMatch(attacker -> invariants.isDoneNow(attacker.self()));
        }
        return done;
    }

    /**
     * Ends all faults: faulty nodes that are down come back and are correct, or are revoked, and each block is written.
     * The command then returns, whatever delayed it.
     */
    void waitForTheEnd(Collection<PrincipalId> faulty, List<Fact> facts) {
        if (random.nextBoolean()) {
            reformed = true;
            for (PrincipalId node : new TreeSet<>(faulty)) {
                simulation().records(node).setFull(false);
                rejoin(node);
                facts.forEach(fact -> simulation().tell(node, fact));
            }
        } else {
            for (PrincipalId gone : new TreeSet<>(faulty)) {
                nodes.stream()
                        .filter(simulation()::isUp)
                        .forEach(node -> simulation().tell(node, new Fact.Revoked(gone)));
            }
        }
        boolean over = false;
        for (int round = 0; round < ROUNDS_TO_THE_END && !over; round++) {
            world.writeBlocks();
            simulation().runUntil(world::isIdle, PATIENCE_MILLIS);
            tell();
            over = isCommandDone();
        }
        if (!over) {
            throw FpInvariants.PUTTING_OUT_ENDS.violation("", invariants.describeUnfinished());
        }
        world.check();
    }

    /** Returns whether the command returned while nothing was done to help it. */
    boolean hasReturned() {
        return returned;
    }

    /** Returns whether the faulty nodes now run correct code. Their disks are unchanged. */
    boolean hasReformed() {
        return reformed;
    }
}
