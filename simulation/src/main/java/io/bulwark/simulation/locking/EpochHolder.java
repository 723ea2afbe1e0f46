package io.bulwark.simulation.locking;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.metadata.Command;
import java.util.function.Supplier;

/** A storage node without any data: it seals and confirms the epochs of the group in which it holds a slot. */
final class EpochHolder {
    private final Party party;
    private final int volume;
    private final Supplier<PlacementGroup> group;
    private OrderedSession session;
    private boolean isAtWork;

    EpochHolder(Party party, int volume, Supplier<PlacementGroup> group) {
        this.party = party;
        this.volume = volume;
        this.group = group;
        session = new OrderedSession(party, 0);
        party.regularly(this::work);
    }

    private void work() {
        session.renew();
        PlacementGroup now = group.get();
        int slot = now.slotOf(party.self());
        boolean isToSeal =
                now.change().filter(change -> !change.sealed().contains(slot)).isPresent();
        if (isAtWork || slot < 0 || !(isToSeal || now.unconfirmed().contains(slot))) {
            return;
        }
        isAtWork = true;
        if (session.isLost()) {
            session = new OrderedSession(party, 0);
        }
        session.submit(
                isToSeal
                        ? new Command.SealEpoch(volume, 0, now.epoch())
                        : new Command.ConfirmEpoch(volume, 0, now.epoch()),
                reply -> isAtWork = false);
    }
}
