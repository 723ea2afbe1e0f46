/** Access keys, with which programs sign in at S3 gateways. */
@NullMarked
package io.bulwark.console.accesskey;

import org.jspecify.annotations.NullMarked;
