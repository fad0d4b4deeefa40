"""Parts of deploy/exercise."""
