/** Words and figures for people, which the command line and the console share. */
@NullMarked
package io.bulwark.client.text;

import org.jspecify.annotations.NullMarked;
