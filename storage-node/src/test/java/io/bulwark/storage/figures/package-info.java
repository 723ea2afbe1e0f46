/**
 * The measurements of the lazy verification paper, section 5, with charts: figures 3, 4 and 5, on nodes of their own in this process. No
 * metadata takes part; every node believes that all is granted.
 */
@NullMarked
package io.bulwark.storage.figures;

import org.jspecify.annotations.NullMarked;
