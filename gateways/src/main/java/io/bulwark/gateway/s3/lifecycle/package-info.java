/** Rules that expire objects, versions and uploads, and the worker that follows them. */
@NullMarked
package io.bulwark.gateway.s3.lifecycle;

import org.jspecify.annotations.NullMarked;
