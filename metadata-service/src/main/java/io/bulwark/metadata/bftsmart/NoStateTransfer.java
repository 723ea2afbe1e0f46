package io.bulwark.metadata.bftsmart;

import bftsmart.statemanagement.ApplicationState;
import bftsmart.statemanagement.SMMessage;
import bftsmart.statemanagement.StateManager;
import bftsmart.tom.MessageContext;
import bftsmart.tom.ReplicaContext;
import bftsmart.tom.core.DeliveryThread;
import bftsmart.tom.core.TOMLayer;
import bftsmart.tom.server.Recoverable;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * State manager without state transfer. Instead of the library's transfer, this replica leaves the incarnation and
 * takes the state from the logs of its peers. An incarnation starts with equal states, so the library never has to ask
 * for one.
 */
final class NoStateTransfer implements StateManager, Recoverable {
    private final Runnable lost;

    NoStateTransfer(Runnable lost) {
        this.lost = lost;
    }

    /** Called while the consensus is being put together: the moment to replace MD5. */
    @Override
    public void init(TOMLayer layer, DeliveryThread delivery) {
        try {
            layer.md = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    @Override
    public void analyzeState(int number) {
        lost.run();
    }

    @Override
    public void requestAppState(int number) {
        lost.run();
    }

    @Override
    public boolean isRetrievingState() {
        return false;
    }

    @Override
    public StateManager getStateManager() {
        return this;
    }

    @Override
    public int getLastCID() {
        return -1;
    }

    @Override
    public void stateTimeout() {}

    @Override
    public void SMRequestDeliver(SMMessage message, boolean isBft) {}

    @Override
    public void SMReplyDeliver(SMMessage message, boolean isBft) {}

    @Override
    public void askCurrentConsensusId() {}

    @Override
    public void currentConsensusIdAsked(int sender) {}

    @Override
    public void currentConsensusIdReceived(SMMessage message) {}

    @Override
    public void setLastCID(int last) {}

    @Override
    public void setReplicaContext(ReplicaContext context) {}

    @Override
    public @Nullable ApplicationState getState(int number, boolean sendState) {
        return null;
    }

    @Override
    public int setState(ApplicationState state) {
        throw new IllegalStateException("no state is ever asked for");
    }

    @Override
    public void Op(int number, byte[] request, MessageContext context) {}

    @Override
    public void noOp(int number, byte[][] requests, MessageContext[] contexts) {}
}
