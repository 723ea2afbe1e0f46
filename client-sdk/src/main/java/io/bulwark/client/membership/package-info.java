/** Changes of the replicas that an operator requests: the check of candidates, and the wait until a change is complete. */
@NullMarked
package io.bulwark.client.membership;

import org.jspecify.annotations.NullMarked;
