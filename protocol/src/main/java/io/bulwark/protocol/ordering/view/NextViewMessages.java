package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Phase;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.normal.Primary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Messages from peers that entered a view earlier, kept until this replica enters it: the latest of each peer. Their
 * proposals together have at most as many names as the full ones that a primary has in flight. STATUS brings dropped
 * messages again.
 */
final class NextViewMessages {
    private static final class PeerMessages {
        private final Deque<Phase> messages = new ArrayDeque<>();
        private int names;

        private void add(Phase message) {
            messages.add(message);
            names += namesOf(message);
        }

        private void clear() {
            messages.clear();
            names = 0;
        }
    }

    private final ReplicaConfig config;
    private final int perPeerMax;
    private final int namesMax;
    private final List<PeerMessages> ofPeers = new ArrayList<>();

    /** A message and who sent it. */
    record EarlyMessage(int from, Phase message) {}

    NextViewMessages(ReplicaConfig config) {
        this.config = config;
        perPeerMax = 3 * config.logSize();
        namesMax = Primary.FULL_MAX * config.batches().requestsMax();
        for (int i = 0; i < config.replicas(); i++) {
            ofPeers.add(new PeerMessages());
        }
    }

    void add(int from, Phase message) {
        if (message instanceof PrePrepare prePrepare && !isProposal(from, prePrepare)) {
            return;
        }
        PeerMessages said = ofPeers.get(from);
        said.add(message);
        while (said.messages.size() > perPeerMax || said.names > namesMax) {
            said.names -= namesOf(said.messages.remove());
        }
    }

    private static int namesOf(Phase message) {
        return message instanceof PrePrepare proposal
                ? proposal.batch().requests().size()
                : 0;
    }

    private boolean isProposal(int from, PrePrepare message) {
        return from == config.primary(message.view())
                && message.batch().requests().size() <= config.batches().requestsMax();
    }

    void onKeyChange(int peer) {
        ofPeers.get(peer).clear();
    }

    /** Returns the messages of this view, in order of arrival for each peer. Removes messages of earlier views, too. */
    List<EarlyMessage> take(long view) {
        List<EarlyMessage> taken = new ArrayList<>();
        for (int from = 0; from < ofPeers.size(); from++) {
            PeerMessages later = new PeerMessages();
            for (Phase message : ofPeers.get(from).messages) {
                if (message.view() == view) {
                    taken.add(new EarlyMessage(from, message));
                } else if (message.view() > view) {
                    later.add(message);
                }
            }
            ofPeers.set(from, later);
        }
        return taken;
    }
}
