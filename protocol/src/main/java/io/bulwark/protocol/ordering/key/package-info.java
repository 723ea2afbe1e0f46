/**
 * Session keys between replicas, and between a client and a replica (proactive recovery paper, section 4.1;
 * docs/ordering/recovery.md, session keys): who signs, and when which key is in force.
 */
@NullMarked
package io.bulwark.protocol.ordering.key;

import org.jspecify.annotations.NullMarked;
