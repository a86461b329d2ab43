# SPDX-License-Identifier: Apache-2.0
# Before what was installed is packed: folders that all may read, whatever umask the build has.
execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
