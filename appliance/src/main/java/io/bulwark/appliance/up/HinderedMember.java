package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.Member;

/** Member whose work can be hindered, for a drill. */
interface HinderedMember extends Member {
    /** Makes it slow, or as fast as it is. It is restarted if it runs. */
    void setSlow(boolean slow) throws Exception;

    boolean isSlow();

    /** Lets it run without scrubbing from its next start to the one after, so that others find what is wrong there. */
    void skipScrubbing();
}
