package io.bulwark.protocol.pasis;

import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages between clients and nodes of the PASIS register (lazy verification paper, sections 2.2 and 4). */
public sealed interface PasisMessage extends Message {
    /** Versions are listed in units of so many (section 5.4). */
    int HISTORY_UNIT = 5;

    Target target();

    /** Request of a client or a peer to a node. */
    sealed interface Request extends PasisMessage {
        /** Returns the kind of request, by which a refusal refers to it. */
        RequestKind asked();
    }

    /** Answer of a node. */
    sealed interface Answer extends PasisMessage {}

    /** Asks for the greatest logical time. */
    record FindTime(Target target) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.FIND_TIME;
        }
    }

    /**
     * The greatest logical time of what this node holds or has held.
     *
     * @param time unsigned
     */
    record FoundTime(Target target, long time) implements Answer {}

    /**
     * A new version.
     *
     * @param session the sender's session for the volume
     * @param fragment that of the target's slot
     */
    record Write(Target target, long session, ValidatingTimestamp timestamp, Bytes fragment) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.WRITE;
        }
    }

    /** The node holds this version durably, or knows of a later one that is complete. */
    record Written(Target target, VersionName version) implements Answer {}

    /**
     * Request for the history: the greatest versions before a timestamp.
     *
     * @param before {@link ValidatingTimestamp#NONE} for the greatest of all
     * @param withFragment whether the fragment of the greatest of these is wanted too
     * @param awaited a version for which a peer that verifies at write time waits: the answer may be delayed briefly
     *     until it is here
     */
    record Read(
            Target target,
            ValidatingTimestamp before,
            boolean withFragment,
            @Nullable VersionName awaited) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.READ;
        }
    }

    /** One version that the node holds, and whether it knows it to be complete and not poisonous. */
    record Entry(ValidatingTimestamp timestamp, boolean verified) {}

    /**
     * Unit of the history.
     *
     * @param before as asked
     * @param versions in descending order, at most {@link #HISTORY_UNIT}
     * @param more whether there are older ones
     * @param collected all versions before this may have been collected, since this or a later version is complete
     * @param fragment of the first of these; null if it was not asked for, or is damaged
     */
    record History(
            Target target,
            ValidatingTimestamp before,
            List<Entry> versions,
            boolean more,
            ValidatingTimestamp collected,
            @Nullable Bytes fragment)
            implements Answer {
        public History {
            versions = List.copyOf(versions);
        }
    }

    /** Asks for the fragment of one version. */
    record ReadFragment(Target target, VersionName version) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.READ_FRAGMENT;
        }
    }

    /** The order is part of the wire format. */
    enum Held {
        HELD,
        /** The node says itself that its fragment is lost. */
        DAMAGED,
        NOT_HELD
    }

    /**
     * A fragment.
     *
     * @param fragment empty unless it is held
     * @param collected as in {@link History}
     */
    record Fragment(Target target, VersionName version, Held held, Bytes fragment, ValidatingTimestamp collected)
            implements Answer {}

    /** Asks the node to make its fragment of this version from those of the others. */
    record Repair(Target target, ValidatingTimestamp version) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.REPAIR;
        }
    }

    /** The node holds the version durably, or knows of a later one that is complete. */
    record Repaired(Target target, VersionName version) implements Answer {}

    /**
     * NOTIFY (section 3.2): a peer has verified a version. Not answered.
     *
     * @param poisonous whether the version failed timestamp validation; else it is complete and valid
     */
    record Notify(Target target, ValidatingTimestamp version, boolean poisonous) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.NOTIFY;
        }
    }

    /**
     * The node refuses.
     *
     * @param version of the WRITE, READ_FRAGMENT or REPAIR that is refused; null for others
     * @param epoch the epoch of the group that the node serves; 0 if it knows none
     */
    record Refused(
            Target target, RequestKind asked, @Nullable VersionName version, PasisRefusal refusal, long epoch)
            implements Answer {
        static Refused of(Request asked, PasisRefusal refusal, long epoch) {
            VersionName version = switch (asked) {
                case Write write -> write.timestamp().name();
                case ReadFragment read -> read.version();
                case Repair repair -> repair.version().name();
                case FindTime ignored -> null;
                case Read ignored -> null;
                case Notify ignored -> null;
            };
            return new Refused(asked.target(), asked.asked(), version, refusal, epoch);
        }
    }
}
