/**
 * BFT-SMaRt as an ordering engine. Only its consensus is used: messages travel over {@code transport}, so that it opens no
 * port and knows no address; what it would keep durable or transfer as state is the replica's own work (see
 * {@code protocol.ordering.Settlement}). Promised for crashes only: docs/ordering.md says what a lying replica can do.
 */
@NullMarked
package io.bulwark.metadata.bftsmart;

import org.jspecify.annotations.NullMarked;
