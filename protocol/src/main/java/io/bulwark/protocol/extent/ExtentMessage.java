package io.bulwark.protocol.extent;

import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/**
 * Messages between clients and nodes about one extent. Each message names the extent and an epoch of its placement
 * group.
 */
public sealed interface ExtentMessage extends Message {
    BlockId block();

    /** Returns, of a request, the epoch of which the sender counts answers; of an answer, that of the node. Epochs count from 1. */
    long epoch();

    /** Request to a node. */
    sealed interface Request extends ExtentMessage {
        /** The slot that the sender believes the node to hold in the extent's group. */
        int slot();
    }

    /** Answer of a node. */
    sealed interface Answer extends ExtentMessage {}

    /** STORE: keep the writer's fragment of this slot. Answered by {@link Acknowledged} or {@link NotStored}. */
    record Store(BlockId block, long epoch, int slot, Bytes fragment, Checksum checksum) implements Request {
        public Store {
            check(epoch, slot);
        }
    }

    /**
     * STORE_BLOCK: cut this slot's fragment from the block and keep it. For nodes that verify as they store, under PASIS.
     *
     * @param content the block, zero-padded to m times the fragment length
     */
    record StoreBlock(BlockId block, long epoch, int slot, Bytes content, Checksum checksum) implements Request {
        public StoreBlock {
            check(epoch, slot);
        }
    }

    /**
     * READ_PINNED: exactly this version. Answered by {@link Found} or {@link NotFound}; without {@code wantFragment} by
     * {@link Holds} or {@link NotFound}, from the record's meta data, not from the fragment itself.
     */
    record ReadPinned(BlockId block, long epoch, int slot, Bytes pin, boolean wantFragment) implements Request {
        public ReadPinned {
            check(epoch, slot);
            checkPin(pin);
        }
    }

    /**
     * SUSPECT: a reader's hint that the holder of another slot, or this one, sent corrupt bytes. Not answered; the node
     * fetches and judges itself, a few times per second and asker.
     */
    record Suspect(BlockId block, long epoch, int slot, Bytes pin, int suspectSlot) implements Request {
        public Suspect {
            check(epoch, slot);
            checkPin(pin);
            checkSlot(suspectSlot);
        }
    }

    /**
     * SUPPLY: a fragment that this slot lacks of a version that others hold, sent by a reader of the block. It is used
     * under FP, where a fragment is checked alone. Answered like STORE.
     */
    record Supply(BlockId block, long epoch, int slot, Bytes fragment, Checksum checksum) implements Request {
        public Supply {
            check(epoch, slot);
        }
    }

    /**
     * COMPLETE: 2f+1 replicas say that the extent is referenced under this pin; see that it is here, repair it if not.
     * A node accepts it from itself only. Answered by {@link Completed}.
     *
     * @param look how closely it looks
     */
    record Complete(BlockId block, long epoch, int slot, Bytes pin, CheckDepth look) implements Request {
        public Complete {
            check(epoch, slot);
            checkPin(pin);
        }
    }

    /** Depth of a node's check of what it holds. The order is part of the wire format. */
    enum CheckDepth {
        /** The node looks at the record only. */
        RECORD,
        /** Reads the fragment and checks it. */
        FRAGMENT,
        /** Sees that the others' fragments give a block that encodes to the whole checksum, where that is not known yet. */
        OTHERS,
        /** Looks at the record, and disseminates an extent of the archive class that is missing here. */
        DISSEMINATE
    }

    /** OK: the fragment is durable here, and no other content ever will be under this id. */
    record Acknowledged(BlockId block, long epoch) implements Answer {
        public Acknowledged {
            check(epoch, 0);
        }
    }

    /** Nothing is promised. */
    record NotStored(BlockId block, long epoch, StoreRefusal reason) implements Answer {
        public NotStored {
            check(epoch, 0);
        }
    }

    /**
     * The version asked for, as this node has it.
     *
     * @param verified whether the node knows that any m good fragments give the same block
     * @param delivery in the archive class the stage of AVID-FP; {@link Delivery#STORED} otherwise
     */
    record Found(BlockId block, long epoch, Checksum checksum, Bytes fragment, boolean verified, Delivery delivery)
            implements Answer {
        public Found(BlockId block, long epoch, Checksum checksum, Bytes fragment, boolean verified) {
            this(block, epoch, checksum, fragment, verified, Delivery.STORED);
        }

        public Found {
            check(epoch, 0);
        }
    }

    /** The version asked for is here: echo of AVID-FP, and its ready if the stage says so. */
    record Holds(BlockId block, long epoch, Delivery delivery) implements Answer {
        public Holds(BlockId block, long epoch) {
            this(block, epoch, Delivery.STORED);
        }

        public Holds {
            check(epoch, 0);
        }
    }

    /** The version asked for does not come from here. */
    record NotFound(BlockId block, long epoch, ReadRefusal reason) implements Answer {
        public NotFound {
            check(epoch, 0);
        }
    }

    /** Result of a COMPLETE. */
    record Completed(BlockId block, long epoch, CompletionResult result) implements Answer {
        public Completed {
            check(epoch, 0);
        }
    }

    private static void check(long epoch, int slot) {
        if (epoch < 1) {
            throw new IllegalArgumentException("epoch " + epoch);
        }
        checkSlot(slot);
    }

    private static void checkSlot(int slot) {
        if (slot < 0 || slot > 254) {
            throw new IllegalArgumentException("slot " + slot);
        }
    }

    private static void checkPin(Bytes pin) {
        if (pin.length() != Hashes.LENGTH) {
            throw new IllegalArgumentException("a pin of " + pin.length() + " bytes");
        }
    }
}
