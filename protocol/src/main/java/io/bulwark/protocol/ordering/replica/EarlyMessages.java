package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage.Phase;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What others, who entered a view sooner, said in it already: kept for when this replica enters it, the latest of each peer.
 * What is dropped comes again by STATUS.
 */
final class EarlyMessages {
    private final ReplicaConfig config;
    private final int perPeerMax;
    private final List<Deque<Phase>> ofPeers = new ArrayList<>();

    /** A message and who sent it. */
    record Early(int from, Phase message) {}

    EarlyMessages(ReplicaConfig config) {
        this.config = config;
        perPeerMax = 3 * config.logSize();
        for (int i = 0; i < config.replicas(); i++) {
            ofPeers.add(new ArrayDeque<>());
        }
    }

    void add(int from, Phase message) {
        if (message instanceof PrePrepare prePrepare && !isProposal(from, prePrepare)) {
            return;
        }
        Deque<Phase> messages = ofPeers.get(from);
        messages.add(message);
        if (messages.size() > perPeerMax) {
            messages.poll();
        }
    }

    private boolean isProposal(int from, PrePrepare message) {
        return from == config.primary(message.view())
                && message.batch().requests().size() <= config.batches().requestsMax();
    }

    void onKeyChange(int peer) {
        ofPeers.get(peer).clear();
    }

    /** Those of this view, in the order of their arrival for each peer; those of views before it go, too. */
    List<Early> take(long view) {
        List<Early> taken = new ArrayList<>();
        for (int from = 0; from < ofPeers.size(); from++) {
            Deque<Phase> later = new ArrayDeque<>();
            for (Phase message : ofPeers.get(from)) {
                if (message.view() == view) {
                    taken.add(new Early(from, message));
                } else if (message.view() > view) {
                    later.add(message);
                }
            }
            ofPeers.set(from, later);
        }
        return taken;
    }
}
