@NullMarked
package io.bulwark.console.account;

import org.jspecify.annotations.NullMarked;
