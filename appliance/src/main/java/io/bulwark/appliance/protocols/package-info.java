/**
 * FP beside the protocols that the thesis compares it with (4.4.1), over the transport, store and driver of the product.
 * The benign protocols trust everybody. They are spoken by the nodes that this package starts, and by no others: a node
 * of a cluster does not know their messages.
 */
@NullMarked
package io.bulwark.appliance.protocols;

import org.jspecify.annotations.NullMarked;
