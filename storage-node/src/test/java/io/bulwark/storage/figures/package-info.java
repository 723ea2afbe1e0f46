/**
 * The measurements of two papers, with charts, on nodes of their own in this process: figures 3, 4 and 5 of the lazy
 * verification paper, and figures 4, 5 and 9 to 13 of the Agile Store paper. No metadata takes part. Every node believes
 * that all is granted.
 */
@NullMarked
package io.bulwark.storage.figures;

import org.jspecify.annotations.NullMarked;
