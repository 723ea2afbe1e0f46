/**
 * The client's side of the ordering port (PROTOCOLS section 7), the same whatever engine orders behind it: what clients
 * say to all 3f+1 replicas, how a client counts their replies (2f+1 matching ones), and what replicas say to each other to
 * settle on one state after a restart.
 */
@NullMarked
package io.bulwark.protocol.ordering;

import org.jspecify.annotations.NullMarked;
