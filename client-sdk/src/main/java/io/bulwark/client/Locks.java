package io.bulwark.client;

import java.util.List;

/** Locks that clients hold on parts of the namespace, so that their operations there take one round trip. */
public interface Locks {
    /** Returns the locks of all clients for who may administer, else those of this client. */
    List<LockInfo> list();

    /** Returns how many operations of this client went to its logs. */
    LockUse use();

    /**
     * Takes the locks on a part of a bucket away from whoever holds them. Needs the right to read there. Completed
     * operations stay, and the holder's next ones are ordered. Without such a call, too, nobody waits for a holder.
     *
     * @param prefix empty for the whole bucket
     */
    void release(String bucket, String prefix);
}
