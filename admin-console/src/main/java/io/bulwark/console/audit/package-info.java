/** The audit log: operators' actions in order, and the verification of their signatures. */
@NullMarked
package io.bulwark.console.audit;

import org.jspecify.annotations.NullMarked;
