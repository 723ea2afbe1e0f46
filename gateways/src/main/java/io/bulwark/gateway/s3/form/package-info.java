/** Uploads by POST forms of browsers: the fields, the policy that the sender has signed, and the file. */
@NullMarked
package io.bulwark.gateway.s3.form;

import org.jspecify.annotations.NullMarked;
