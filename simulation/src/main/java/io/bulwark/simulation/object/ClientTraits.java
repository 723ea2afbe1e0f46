package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectGet;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A client's beliefs about nodes, its read-ahead and its timeouts. Beliefs decide nothing (docs/protocols/access.md), so they
 * are as often wrong as right. A deadline may pass at any step.
 */
final class ClientTraits implements ObjectGet.ReadAheadQuota {
    private static final int STEPS_MAX = 30;

    private final RandomGenerator random;
    private final boolean believes;
    private final int roomBytes;
    private final int hastyOneIn;
    private int inlineMax;
    private boolean patient;
    private int takenBytes;

    private ClientTraits(RandomGenerator random, boolean believes, int roomBytes, int hastyOneIn) {
        this.random = random;
        this.believes = believes;
        this.roomBytes = roomBytes;
        this.hastyOneIn = hastyOneIn;
    }

    /** Returns the habits of a client that doubts no node, reads ahead without limit and never times out. */
    static ClientTraits plain() {
        return new ClientTraits(new Random(0), false, Integer.MAX_VALUE, 0);
    }

    /**
     * @param blockBytes block size; the room holds a few blocks
     */
    static ClientTraits any(RandomGenerator random, int blockBytes) {
        return new ClientTraits(random, random.nextInt(3) != 0, blockBytes * random.nextInt(6), random.nextInt(3) * 10);
    }

    /** Returns the client with a limit of objects in the metadata, which half of the clients have. */
    ClientTraits withInlineMax(RandomGenerator choice, int max) {
        inlineMax = choice.nextBoolean() ? 1 + choice.nextInt(max) : 0;
        return this;
    }

    /** Returns the length of an object up to which the client tries to put it into the metadata. */
    int inlineMax() {
        return inlineMax;
    }

    /** It waits for ever from now on. */
    void setPatient() {
        patient = true;
    }

    /** Slots of so many that are believed to be slow or bad. */
    Set<Integer> doubted(int slots) {
        Set<Integer> doubted = new HashSet<>();
        if (believes && random.nextBoolean()) {
            for (int slot = 0; slot < slots; slot++) {
                if (random.nextInt(3) == 0) {
                    doubted.add(slot);
                }
            }
        }
        return doubted;
    }

    /** The step at which the deadline of an operation passes that begins now. */
    int stepsToDeadline() {
        boolean hasty = !patient && hastyOneIn != 0 && random.nextInt(hastyOneIn) == 0;
        return hasty ? 1 + random.nextInt(STEPS_MAX) : Integer.MAX_VALUE;
    }

    /** Returns the bytes that were taken and not given back. */
    int takenBytes() {
        return takenBytes;
    }

    @Override
    public boolean take(int bytes) {
        boolean there = bytes <= roomBytes - takenBytes;
        takenBytes += there ? bytes : 0;
        return there;
    }

    @Override
    public void giveBack(int bytes) {
        takenBytes -= bytes;
    }
}
