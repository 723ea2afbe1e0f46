/**
 * The view change without signatures (proactive recovery paper, section 4.5, figures 2 and 3; PROTOCOLS section 7): what a
 * replica remembers of earlier views, what it tells of them, and how a new view is decided and checked.
 */
@NullMarked
package io.bulwark.protocol.ordering.view;

import org.jspecify.annotations.NullMarked;
