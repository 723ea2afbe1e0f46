/**
 * BFT-SMaRt as an ordering engine. Only its consensus is used: messages travel over {@code transport}, so that it opens
 * no port and knows no address. The replica itself does what the library would keep durable or transfer as state (see
 * {@code protocol.ordering.Settlement}). It is promised for crashes only: docs/ordering/bft-smart.md says what a lying replica
 * can do.
 */
@NullMarked
package io.bulwark.metadata.bftsmart;

import org.jspecify.annotations.NullMarked;
