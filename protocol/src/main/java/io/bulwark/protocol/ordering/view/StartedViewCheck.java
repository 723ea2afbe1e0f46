package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import java.util.Map;
import java.util.TreeMap;

/**
 * Check whether a view had begun before a replica asks for its recovery (4.4). The replica finds the NEW-VIEW of that
 * view on its disk, where anybody may have left it, so it asks the others. They report their view in STATUS.
 */
public final class StartedViewCheck {
    private final ViewGroup group;
    private final long view;
    private final Map<Integer, Boolean> said = new TreeMap<>();

    public StartedViewCheck(ViewGroup group, long view) {
        this.group = group;
        this.view = view;
    }

    /** The last one of each replica counts. */
    public void onStatus(int from, Status status) {
        said.put(from, status.view() > view || (status.view() == view && status.inView()));
    }

    public void forget(int replica) {
        said.remove(replica);
    }

    /** Returns whether f others confirm the view; one of them is correct, if this disk is not. */
    public boolean isTrue() {
        return count(true) >= group.faulty();
    }

    /**
     * Returns whether 2f+1 others are not in the view; these include all correct ones if this disk is not. So one of
     * the two becomes true.
     */
    public boolean isFalse() {
        return count(false) >= group.quorum();
    }

    private long count(boolean begun) {
        return said.values().stream().filter(each -> each == begun).count();
    }
}
