package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/**
 * The messages between replicas. Views and sequence numbers are not negative; digests have 32 bytes. The sender is not
 * repeated in them: it is what the transport authenticated.
 */
public sealed interface ReplicaMessage extends Message {
    /** Replicas of a group at most. */
    int REPLICAS_MAX = 64;

    /** Numbers that one message speaks of at most. */
    int NUMBERS_MAX = 4_096;

    /** Pairs of one entry of Q at most. */
    int PAIRS_MAX = 4_096;

    /** Length in bytes of the nonces that are signed. */
    int NONCE_BYTES = 16;

    /** Bytes of bodies that one message carries at most, unless it carries one only. */
    int BODIES_BYTES_MAX = 4 << 20;

    /** Part of the agreement on one number in one view (sections 4.2). */
    sealed interface Phase extends ReplicaMessage {
        long view();

        long sequence();
    }

    /**
     * The sender has these requests from their clients, one digest of each (client, call), or f+1 others vouch for
     * them.
     */
    record RequestEcho(List<RequestId> requests) implements ReplicaMessage {
        public RequestEcho {
            requests = List.copyOf(requests);
        }
    }

    /**
     * READY, sent only if f is 2 or more. The sender has these requests and counts 2f+1 vouches for each, but has not
     * executed them for some time.
     */
    record RequestReady(List<RequestId> requests) implements ReplicaMessage {
        public RequestReady {
            requests = List.copyOf(requests);
        }
    }

    /** The primary assigns a number to a batch. */
    record PrePrepare(long view, long sequence, Batch batch) implements Phase {}

    /** The sender accepted the assignment; synced before it is sent. */
    record Prepare(long view, long sequence, Bytes digest) implements Phase {}

    /** The sender holds a prepared certificate; synced before it is sent. */
    record Commit(long view, long sequence, Bytes digest) implements Phase {}

    /**
     * The sender executed these batches, by their digests, with the numbers from {@code first} on: f+1 such claims let
     * a replica that was left behind learn them.
     */
    record Executed(long first, List<Bytes> digests) implements ReplicaMessage {
        public Executed {
            digests = List.copyOf(digests);
        }
    }

    /** The sender's state after this number has this digest; sent once the checkpoint is durable (4.3). */
    record Checkpoint(long sequence, Bytes digest) implements ReplicaMessage {}

    /** A number and a digest: of a checkpoint, or of the batch chosen for it. */
    record Numbered(long sequence, Bytes digest) {}

    /** An entry of P: a batch prepared with this number in this view, and none in a later one. */
    record Prepared(long sequence, Bytes digest, long view) {}

    /** A pair of an entry of Q: the latest view in which a batch with this digest pre-prepared. */
    record DigestView(Bytes digest, long view) {}

    /** An entry of Q. */
    record PrePrepared(long sequence, List<DigestView> pairs) {
        public PrePrepared {
            pairs = List.copyOf(pairs);
        }
    }

    /**
     * The sender entered this view (4.5).
     *
     * @param stable the last stable checkpoint's number, ls
     * @param checkpoints C: the checkpoints that the sender holds, durably, by number
     * @param prepared P, by number
     * @param prePrepared Q, by number
     */
    record ViewChange(
            long view, long stable, List<Numbered> checkpoints, List<Prepared> prepared, List<PrePrepared> prePrepared)
            implements ReplicaMessage {
        public ViewChange {
            checkpoints = List.copyOf(checkpoints);
            prepared = List.copyOf(prepared);
            prePrepared = List.copyOf(prePrepared);
        }
    }

    /** To the primary of the view: the sender received this VIEW-CHANGE, by its digest, from that replica. */
    record ViewChangeAck(long view, int replica, Bytes digest) implements ReplicaMessage {}

    /** One entry of V: whose VIEW-CHANGE, and its digest. */
    record Support(int replica, Bytes digest) {}

    /**
     * NEW-VIEW of the primary of a new view, with the state that the view begins with.
     *
     * @param support V, by replica
     * @param checkpoint the checkpoint chosen
     * @param chosen the batches chosen for the numbers after the checkpoint, in order and without gaps, each by its
     *     digest
     */
    record NewView(long view, List<Support> support, Numbered checkpoint, List<Numbered> chosen)
            implements ReplicaMessage {
        public NewView {
            support = List.copyOf(support);
            chosen = List.copyOf(chosen);
        }
    }

    /** Hand me another's VIEW-CHANGE, which a NEW-VIEW or an ack names by this digest. */
    record FetchViewChange(long view, int replica, Bytes digest) implements ReplicaMessage {}

    /** A VIEW-CHANGE of another replica; only its digest, vouched for by others, makes it worth anything. */
    record ForwardedViewChange(int replica, ViewChange viewChange) implements ReplicaMessage {}

    /** Hand me the batch with this digest. */
    record FetchBatch(Bytes digest) implements ReplicaMessage {}

    /** A batch that was asked for. */
    record BatchBody(Batch batch) implements ReplicaMessage {}

    /** Hand me the bodies of these requests. */
    record FetchRequests(List<RequestId> requests) implements ReplicaMessage {
        public FetchRequests {
            requests = List.copyOf(requests);
        }
    }

    /** Bodies of requests: the digest that was asked for decides, not who sends them. */
    record RequestBodies(List<Request> requests) implements ReplicaMessage {
        public RequestBodies {
            requests = List.copyOf(requests);
        }
    }

    /**
     * State of the sender. A receiver that is ahead sends again its own messages that the sender may lack (4.6.1).
     *
     * @param view the view that it is in, or asks for
     * @param inView false while the view change is open
     * @param stable its last stable checkpoint
     * @param executed the last number executed
     * @param prepared for the numbers above {@code executed}, in order: bit 2i that number executed+1+i is prepared,
     *     bit 2i+1 that it is committed
     * @param prePrepared in the same order, bit i: a batch is pre-prepared and its bodies are here
     * @param viewChanges while the view change is open, bit i: the VIEW-CHANGE of replica i is here
     * @param newView while the view change is open: the NEW-VIEW is here
     */
    record Status(
            long view,
            boolean inView,
            long stable,
            long executed,
            Bytes prepared,
            Bytes prePrepared,
            long viewChanges,
            boolean newView)
            implements ReplicaMessage {}

    /**
     * The sender has this command to the application ordered for itself.
     *
     * @param call tells its commands apart
     */
    record OwnCommand(long call, Bytes operation) implements ReplicaMessage {
        public OwnCommand {
            if (operation.length() > OrderingMessage.COMMAND_BYTES_MAX) {
                throw new IllegalArgumentException("a command of " + operation.length() + " bytes");
            }
        }
    }

    /** Part of the transfer of state (4.6.2). */
    sealed interface Transfer extends ReplicaMessage {
        /** Chosen by who asks, repeated in the answer. */
        long token();
    }

    /** Hand me the pages with these digests, of any checkpoint. */
    record Fetch(long token, List<Bytes> digests) implements Transfer {
        public Fetch {
            digests = List.copyOf(digests);
            if (digests.isEmpty() || digests.size() > FetchSettings.PAGES_MAX) {
                throw new IllegalArgumentException(digests.size() + " pages");
            }
        }
    }

    /**
     * Pages that were asked for: their digests decide, not who sends them.
     *
     * @param pages in the order of the request, empty where the sender lacks the page; fewer than were asked for if
     *     it sends
     *     no more now; together at most {@link #BODIES_BYTES_MAX} bytes, unless it is one
     */
    record Pages(long token, List<Bytes> pages) implements Transfer {
        public Pages {
            pages = List.copyOf(pages);
            long bytes = pages.stream().mapToLong(Bytes::length).sum();
            if (pages.size() > FetchSettings.PAGES_MAX || (pages.size() > 1 && bytes > BODIES_BYTES_MAX)) {
                throw new IllegalArgumentException(pages.size() + " pages of " + bytes + " bytes");
            }
        }
    }

    /** Part of the recovery of a replica (4.4). */
    sealed interface Recovery extends ReplicaMessage {}

    /** QUERY-STABLE, of a replica that recovers: where does your log stand? {@code round} is a random number. */
    record QueryStable(long round) implements Recovery {}

    /**
     * Message REPLY-STABLE.
     *
     * @param checkpoint c, the number of the last checkpoint made at the sender
     * @param prepared p, the last number that prepared there
     * @param nonce of {@link #NONCE_BYTES}, which the asker signs in its recovery request to the sender
     */
    record ReplyStable(long round, long checkpoint, long prepared, Bytes nonce) implements Recovery {}

    /** The sender's recovery request, which is signed; to be ordered. */
    record Recover(Request request) implements Recovery {}

    /**
     * Reply that the receiver's recovery request was executed here.
     *
     * @param call of the request
     * @param accepted false if it followed the last one too soon
     * @param sequence n_R, the number that it had
     * @param view that the sender is in, or asks for
     */
    record RecoveryReply(long call, boolean accepted, long sequence, long view) implements Recovery {}
}
