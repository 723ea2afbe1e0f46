/**
 * View change without signatures (proactive recovery paper, section 4.5, figures 2 and 3; docs/ordering): a
 * replica's history of earlier views, its report of them, and the decision and check of a new view.
 */
@NullMarked
package io.bulwark.protocol.ordering.view;

import org.jspecify.annotations.NullMarked;
