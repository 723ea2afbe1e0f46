package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.Member;

/** Member that can be made slow, for a drill. */
interface SlowableMember extends Member {
    /** Makes it slow, or as fast as it is. It is restarted if it runs. */
    void setSlow(boolean slow) throws Exception;

    boolean isSlow();
}
