/** Files with the proof of a recorded fault, which anybody can check without the cluster. */
@NullMarked
package io.bulwark.client.evidence;

import org.jspecify.annotations.NullMarked;
